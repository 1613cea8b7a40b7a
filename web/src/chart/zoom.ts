/** Zoom limits and step; 1 is the natural size. */
export const ZOOM = { least: 0.25, most: 4, step: 1.25 } as const;

/** A size in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Clamps a zoom to its limits. */
export function clampZoom(zoom: number): number {
  return Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));
}

/** Returns the largest zoom at which the whole chart is visible. */
export function fitZoom(chart: Size, frame: Size): number {
  if (chart.width <= 0 || chart.height <= 0) return 1;
  return clampZoom(Math.min(frame.width / chart.width, frame.height / chart.height));
}

/**
 * Returns the initial zoom: the natural size, at which texts are readable, or up to 1.25 if the
 * frame has space left.
 */
export function initialZoom(chart: Size, frame: Size): number {
  return Math.min(1.25, Math.max(1, fitZoom(chart, frame)));
}

/** Returns the scroll position that keeps a point in place when the zoom changes by `ratio`. */
export function scrollToKeepPoint(
  scroll: { readonly left: number; readonly top: number },
  point: { readonly x: number; readonly y: number },
  ratio: number,
): { readonly left: number; readonly top: number } {
  return {
    left: (scroll.left + point.x) * ratio - point.x,
    top: (scroll.top + point.y) * ratio - point.y,
  };
}
