// Talk mode: the component covers the whole page, and the whole screen where the browser lets it.
// Of two maps that are compared each covers its half.

/** Shows `root` above everything else. A popover lies in the browser's top layer, which no
 * stacking order of the surrounding page can cover. Of two maps the one that `leads` asks for the
 * whole screen and takes the keyboard. Returns a function that undoes it.
 * @param {HTMLElement} root @param {boolean} leads @param {() => void} onLeave */
export function coverPage(root, leads, onLeave) {
  const controller = new AbortController();
  const raise = () => {
    if (root.matches(":popover-open")) root.hidePopover();
    root.showPopover();
    if (leads) /** @type {HTMLElement} */ (root.querySelector("[role=slider]")).focus({ preventScroll: true });
  };
  root.setAttribute("popover", "manual");
  root.classList.add("talk");
  raise();
  document.addEventListener("fullscreenchange", () => {
    if (document.fullscreenElement) raise(); // what became full screen last lies on top
    else onLeave(); // Escape leaves full screen without a key event
  }, { signal: controller.signal });
  // Without a key press or click, as when a link opens talk mode, browsers refuse; the cover stays.
  if (leads) document.documentElement.requestFullscreen?.().catch(() => {});
  return () => {
    controller.abort();
    if (leads && document.fullscreenElement) document.exitFullscreen();
    if (root.matches(":popover-open")) root.hidePopover();
    root.removeAttribute("popover");
    root.classList.remove("talk");
  };
}
