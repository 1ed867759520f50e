// Opaque pixels as whole numbers with a sign, which a script adds and shifts quickest: alpha, blue,
// green, red from the highest byte to the lowest.

const OPAQUE = 255 << 24;

export const WHOLE = 256; // the share of a pixel that is covered altogether

/** @param {Channels} color */
export const packColor = ([red, green, blue]) => OPAQUE | (blue << 16) | (green << 8) | red;

/** A colour that covers a share of a pixel, ready to be laid over what is there.
 * @param {number} pixel @param {number} share */
export const shareOf = (pixel, share) => OPAQUE | dim(pixel, share);

/** What `shareOf` has made ready, over the rest of another pixel.
 * @param {number} ready @param {number} under @param {number} rest */
export const layOver = (ready, under, rest) => ready + dim(under, rest);

/** The colours of a pixel in 256ths; red and blue sit two bytes apart, so one multiplication does both.
 * @param {number} pixel @param {number} share */
function dim(pixel, share) {
  return ((Math.imul(pixel & 0xff00ff, share) >>> 8) & 0xff00ff) | ((Math.imul(pixel & 0xff00, share) >>> 8) & 0xff00);
}
