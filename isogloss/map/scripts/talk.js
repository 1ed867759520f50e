// Talk mode: the component covers the whole page, and the whole screen where the browser lets it.

/** Shows `root` above everything else. A popover lies in the browser's top layer, which no
 * stacking order of the surrounding page can cover. Returns a function that undoes it.
 * @param {HTMLElement} root @param {() => void} onLeave */
export function coverPage(root, onLeave) {
  const controller = new AbortController();
  const raise = () => {
    if (root.matches(":popover-open")) root.hidePopover();
    root.showPopover();
    /** @type {HTMLElement} */ (root.querySelector("[role=slider]")).focus({ preventScroll: true });
  };
  root.setAttribute("popover", "manual");
  root.classList.add("talk");
  raise();
  document.addEventListener("fullscreenchange", () => {
    if (document.fullscreenElement) raise(); // what became full screen last lies on top
    else onLeave(); // Escape leaves full screen without a key event
  }, { signal: controller.signal });
  // Without a key press or click, as when a link opens talk mode, browsers refuse; the cover stays.
  document.documentElement.requestFullscreen?.().catch(() => {});
  return () => {
    controller.abort();
    if (document.fullscreenElement) document.exitFullscreen();
    if (root.matches(":popover-open")) root.hidePopover();
    root.removeAttribute("popover");
    root.classList.remove("talk");
  };
}
