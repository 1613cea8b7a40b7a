import { useEffect, useState } from 'preact/hooks';
import { theme } from '../shell/theme.ts';

/** CSS variables of the line colours, in series order. */
export const LINE_COLORS = ['--accent', '--warning', '--good', '--bad'] as const;

/** Resolved colours for drawing on a canvas. */
export interface PlotColors {
  readonly lines: readonly string[];
  readonly text: string;
  readonly grid: string;
}

/** Returns the colours of the current theme; updates when the theme or system scheme changes. */
export function usePlotColors(): PlotColors {
  const [inks, setInks] = useState(readColors);
  const chosen = theme.value;
  useEffect(() => {
    // Effects run after the theme was set on the root element.
    setInks(readColors());
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const renew = (): void => setInks(readColors());
    dark.addEventListener('change', renew);
    return () => dark.removeEventListener('change', renew);
  }, [chosen]);
  return inks;
}

// A canvas cannot use custom properties: a temporary element resolves them to colours.
function readColors(): PlotColors {
  const probe = document.createElement('span');
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const inks = {
    lines: LINE_COLORS.map(read),
    text: read('--text-muted'),
    grid: read('--line'),
  };
  probe.remove();
  return inks;
}
