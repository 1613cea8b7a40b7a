import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Zoom per wheel pixel, as an exponent. */
const WHEEL_ZOOM = 0.0025;

type ZoomTo = (zoom: number, at: { readonly x: number; readonly y: number }) => void;

/**
 * Pans a frame by mouse drag, and zooms it by pinch or by Ctrl and wheel. The plain wheel and one
 * finger scroll it, which the browser does itself.
 */
export function useDrag(frame: RefObject<HTMLElement | null>, zoom: number, zoomTo: ZoomTo): void {
  const newest = useRef({ zoom, zoomTo });
  newest.current = { zoom, zoomTo };
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const ends = [followWheel(element, newest), followMouse(element), followPinch(element, newest)];
    return () => {
      for (const end of ends) end();
    };
  }, []);
}

type Newest = RefObject<{ readonly zoom: number; readonly zoomTo: ZoomTo }>;

function followWheel(element: HTMLElement, newest: Newest): () => void {
  return listen(element, 'wheel', (event) => {
    if (!(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const { zoom, zoomTo } = newest.current ?? {};
    if (zoom !== undefined)
      zoomTo?.(zoom * Math.exp(-event.deltaY * WHEEL_ZOOM), within(element, event));
  });
}

function followMouse(element: HTMLElement): () => void {
  let from: { x: number; y: number; left: number; top: number } | null = null;
  const ends = [
    listen(element, 'pointerdown', (event) => {
      if (event.pointerType !== 'mouse' || event.button !== 0) return;
      const { scrollLeft: left, scrollTop: top } = element;
      from = { x: event.clientX, y: event.clientY, left, top };
      element.setPointerCapture(event.pointerId);
    }),
    listen(element, 'pointermove', (event) => {
      if (from === null) return;
      element.scrollLeft = from.left - (event.clientX - from.x);
      element.scrollTop = from.top - (event.clientY - from.y);
    }),
    listen(element, 'pointerup', () => {
      from = null;
    }),
    listen(element, 'pointercancel', () => {
      from = null;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function followPinch(element: HTMLElement, newest: Newest): () => void {
  let start: { readonly distance: number; readonly zoom: number } | null = null;
  const ends = [
    listen(element, 'touchstart', (event) => {
      const distance = distanceOf(event.touches);
      start = distance === null ? null : { distance, zoom: newest.current?.zoom ?? 1 };
    }),
    listen(element, 'touchmove', (event) => {
      const distance = distanceOf(event.touches);
      const [one, two] = event.touches;
      if (start === null || distance === null || one === undefined || two === undefined) return;
      event.preventDefault();
      const middle = {
        clientX: (one.clientX + two.clientX) / 2,
        clientY: (one.clientY + two.clientY) / 2,
      };
      newest.current?.zoomTo((start.zoom * distance) / start.distance, within(element, middle));
    }),
    listen(element, 'touchend', () => {
      start = null;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function distanceOf(touches: TouchList): number | null {
  const [one, two] = touches;
  if (one === undefined || two === undefined) return null;
  return Math.max(1, Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY));
}

function within(element: HTMLElement, at: { readonly clientX: number; readonly clientY: number }) {
  const box = element.getBoundingClientRect();
  return { x: at.clientX - box.left, y: at.clientY - box.top };
}

function listen<Name extends keyof HTMLElementEventMap>(
  element: HTMLElement,
  name: Name,
  run: (event: HTMLElementEventMap[Name]) => void,
): () => void {
  element.addEventListener(name, run, { passive: false });
  return () => element.removeEventListener(name, run);
}
