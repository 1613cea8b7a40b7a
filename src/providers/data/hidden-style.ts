/**
 * A part of the programs that read markup: detects elements that no reader can see, by their
 * attributes. It is a string because those programs run isolated from all other modules.
 *
 * `isUnseen(read)` takes a function that returns an attribute, or `null` if it is missing. Layout
 * and elements that appear while a page is read do not count as hidden.
 */
export const HIDDEN_STYLE_SOURCE = `
const UNITS = {
  '': 1, px: 1, pt: 1.33, em: 16, rem: 16, ex: 8, ch: 8, '%': 10, vw: 10, vh: 8, cm: 38, in: 96,
};
const FAR = 500;
const FAR_MARGIN = 999;
const TEXT_PX_MIN = 3;
const TEXT_PERCENT_MIN = 20;
const MOVING = /(^|[\\s_-])(aos|wow|fade|reveal|animate|animated|appear|slide-?in|invisible)/i;
function styleOf(text) {
  const found = new Map();
  for (const part of text.toLowerCase().replace(/\\/\\*[^*]*\\*\\//g, '').split(';')) {
    const at = part.indexOf(':');
    const value = part.slice(at + 1).replace('!important', '').trim();
    if (at > 0) found.set(part.slice(0, at).trim(), value);
  }
  return found;
}
function pixelsOf(value) {
  const [, number, unit] = /^([+-]?(?:\\d+\\.?\\d*|\\.\\d+))([a-z%]*)/.exec(value ?? '') ?? [];
  return number === undefined ? undefined : Number(number) * (UNITS[unit] ?? 1);
}
const isZero = (value) => pixelsOf(value) === 0;
const isFar = (value, most) => (pixelsOf(value) ?? 0) <= -most;
const isPercent = (value) => /%/.test(value ?? '');
function isTiny(style) {
  const size = pixelsOf(style.get('font-size'));
  const least = isPercent(style.get('font-size')) ? 10 * TEXT_PERCENT_MIN : TEXT_PX_MIN;
  return size !== undefined && Math.abs(size) < least;
}
const COLOURS = { white: '#fff', black: '#000', '#ffffff': '#fff', '#000000': '#000' };
const colourOf = (value = '') => {
  const plain = value.replace(/\\s+/g, '');
  const [, red, green, blue] = /^rgba?\\((\\d+),(\\d+),(\\d+)(?:,1)?\\)$/.exec(plain) ?? [];
  const hex = (part) => Number(part).toString(16).padStart(2, '0');
  const named = red === undefined ? plain : '#' + hex(red) + hex(green) + hex(blue);
  return COLOURS[named] ?? named;
};
function hasNoColour(style) {
  const colour = colourOf(style.get('color'));
  if (/^transparent$|^(rgb|hsl)a\\(.*,0?\\.?0+%?\\)$/.test(colour)) {
    return ![...style.keys()].some((name) => /background-clip|text-shadow|text-stroke/.test(name));
  }
  const ground = colourOf(style.get('background-color') ?? style.get('background'));
  return colour !== '' && colour === ground;
}
function isOutside(style) {
  const clip = style.get('clip-path') ?? '';
  const transform = style.get('transform') ?? style.get('-webkit-transform') ?? '';
  const moved = [...transform.matchAll(/translate(?:x|y|3d)?\\(([^)]{0,80})\\)/g)]
    .flatMap(([, places]) => places.split(',')).filter((place) => !isPercent(place));
  return ['left', 'top', 'right', 'bottom', 'text-indent', 'inset-inline-start']
    .some((name) => isFar(style.get(name), FAR)) ||
    [...style].some(([name, value]) =>
      name.startsWith('margin') && !isPercent(value) && isFar(value, FAR_MARGIN)) ||
    moved.some((place) => isFar(place.trim(), FAR_MARGIN)) ||
    /scale\\(\\s*0\\s*[,)]/.test(transform) ||
    /inset\\(\\s*(50|100)%|circle\\(\\s*0/.test(clip) ||
    /rect\\(\\s*(0|1px)/.test(style.get('clip') ?? '');
}
/** Detects elements that appear while the page is read: they fade or move in. */
function isMoving(style, read) {
  if (/absolute|fixed/.test(style.get('position') ?? '')) return false;
  const moving = /^(-webkit-)?(transform|transition|animation)/;
  return [...style.keys()].some((name) => moving.test(name)) || style.has('will-change') ||
    MOVING.test(read('class') ?? '') ||
    ['data-aos', 'data-w-id', 'data-animation', 'data-sal', 'data-scroll', 'data-reveal']
      .some((name) => read(name) !== null);
}
function isCollapsed(style) {
  return ['height', 'max-height', 'width', 'max-width'].some((name) => isZero(style.get(name)));
}
function isUnseen(read, isOpened = false) {
  const hidden = read('hidden');
  const style = styleOf(read('style') ?? '');
  if (!isOpened) {
    if (hidden !== null && hidden.toLowerCase() !== 'until-found') return true;
    if (read('aria-hidden') === 'true' || style.get('display') === 'none') return true;
    if (isCollapsed(style) && !style.has('transition')) return true;
    const isClear = isZero(style.get('opacity')) ||
      /hidden|collapse/.test(style.get('visibility') ?? '');
    if (isClear && !isMoving(style, read)) return true;
  }
  return isTiny(style) || isOutside(style) || hasNoColour(style) ||
    isZero(style.get('zoom')) || /opacity\\(\\s*0/.test(style.get('filter') ?? '');
}
`;
