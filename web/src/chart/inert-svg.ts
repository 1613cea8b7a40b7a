// A drawing is copied into this page element by element. Only the elements and attributes listed
// here are copied: no links, scripts, styles, handlers, foreign content or external references.
const ELEMENTS: ReadonlySet<string> = new Set([
  ...['svg', 'g', 'defs', 'marker', 'title', 'desc', 'text', 'tspan'],
  ...['rect', 'path', 'line', 'circle', 'ellipse', 'polygon', 'polyline'],
]);
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...['id', 'class', 'role', 'viewBox', 'width', 'height', 'preserveAspectRatio', 'transform'],
  ...['x', 'y', 'x1', 'y1', 'x2', 'y2', 'dx', 'dy', 'cx', 'cy', 'r', 'rx', 'ry', 'd', 'points'],
  ...['text-anchor', 'dominant-baseline', 'textLength', 'lengthAdjust', 'font-size'],
  ...['font-weight', 'font-style', 'stroke-width', 'stroke-dasharray', 'stroke-linecap'],
  ...['stroke-linejoin', 'refX', 'refY', 'markerWidth', 'markerHeight', 'markerUnits', 'orient'],
  ...['fill', 'stroke', 'marker-end', 'marker-start', 'vector-effect', 'focusable'],
]);
const PREFIXES = ['data-', 'aria-'];
/** Attributes that may refer to a part of the same drawing, but to nothing else. */
const REFERENCES: ReadonlySet<string> = new Set(['fill', 'stroke', 'marker-end', 'marker-start']);
const INTERNAL_REFERENCE =
  /^(url\(#[\w.-]+\)|none|currentColor|context-stroke|#[0-9a-f]{3,8}|[a-z]+)$/i;
const SVG = 'http://www.w3.org/2000/svg';
const STYLES = /<style\b[^<>]*>[^<]*<\/style>/g;
/** Deepest nesting level that is copied. */
const DEPTH_MAX = 64;

/**
 * Copies a drawing into this page without any active content.
 *
 * @returns `null` if the text is not an SVG document.
 */
export function copyInertSvg(text: string): SVGSVGElement | null {
  // Browsers report a style in parsed text as a CSP violation, even though it is never applied.
  const parsed = new DOMParser().parseFromString(text.replace(STYLES, ''), 'image/svg+xml');
  const root = parsed.documentElement;
  if (root.localName !== 'svg' || root.namespaceURI !== SVG) return null;
  return copyElement(root, DEPTH_MAX) as SVGSVGElement;
}

function copyElement(source: Element, depth: number): SVGElement {
  const copy = document.createElementNS(SVG, source.localName);
  for (const { name, value } of source.attributes) {
    if (isAllowed(name, value)) copy.setAttribute(name, value);
  }
  if (depth === 0) return copy;
  for (const child of source.childNodes) {
    if (child instanceof Element) {
      const isKnown = child.namespaceURI === SVG && ELEMENTS.has(child.localName);
      if (isKnown) copy.append(copyElement(child, depth - 1));
    } else if (child.nodeType === Node.TEXT_NODE) {
      copy.append(document.createTextNode(child.nodeValue ?? ''));
    }
  }
  return copy;
}

function isAllowed(name: string, value: string): boolean {
  if (REFERENCES.has(name)) return INTERNAL_REFERENCE.test(value);
  return ATTRIBUTES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
}
