import type { JSX } from 'preact';
import { useCallback, useMemo } from 'preact/hooks';
import { copyInertSvg } from '../chart/inert-svg.ts';

/** A drawing of a report, copied without active content. */
export function InertDrawing({ svg }: { readonly svg: string }): JSX.Element {
  const drawing = useMemo(() => copyInertSvg(svg), [svg]);
  const place = useCallback(
    (element: HTMLDivElement | null) => {
      if (element !== null && drawing !== null) element.replaceChildren(drawing);
    },
    [drawing],
  );
  return <div ref={place} class="report-drawing" />;
}
