/** How far a chart may be made smaller or larger; 1 is its natural size. */
export const ZOOM = { least: 0.25, most: 4, step: 1.25 } as const;

/** Sizes in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Keeps a zoom within its bounds. */
export function bounded(zoom: number): number {
  return Math.min(ZOOM.most, Math.max(ZOOM.least, zoom));
}

/** The largest zoom at which the whole chart is seen. */
export function fitZoom(chart: Size, frame: Size): number {
  if (chart.width <= 0 || chart.height <= 0) return 1;
  return bounded(Math.min(frame.width / chart.width, frame.height / chart.height));
}

/**
 * The zoom at first sight: natural size, at which its texts are as large as they were drawn to be
 * read; larger only where the frame has room to spare.
 */
export function firstZoom(chart: Size, frame: Size): number {
  return Math.min(1.25, Math.max(1, fitZoom(chart, frame)));
}

/** Where a scrolled frame must stand so that a point of it stays in place over a change of zoom. */
export function scrollFor(
  scroll: { readonly left: number; readonly top: number },
  point: { readonly x: number; readonly y: number },
  ratio: number,
): { readonly left: number; readonly top: number } {
  return {
    left: (scroll.left + point.x) * ratio - point.x,
    top: (scroll.top + point.y) * ratio - point.y,
  };
}
