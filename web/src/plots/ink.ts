import { useEffect, useState } from 'preact/hooks';
import { theme } from '../shell/theme.ts';

/** CSS variables of the line colours, in series order. */
export const LINE_INKS = ['--accent', '--warning', '--good', '--bad'] as const;

/** Resolved colours for drawing on a canvas. */
export interface Inks {
  readonly lines: readonly string[];
  readonly text: string;
  readonly grid: string;
}

/** Returns the colours of the current theme; updates when the theme or system scheme changes. */
export function useInks(): Inks {
  const [inks, setInks] = useState(readInks);
  const chosen = theme.value;
  useEffect(() => {
    // Effects run after the theme was set on the root element.
    setInks(readInks());
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const renew = (): void => setInks(readInks());
    dark.addEventListener('change', renew);
    return () => dark.removeEventListener('change', renew);
  }, [chosen]);
  return inks;
}

// A canvas cannot use custom properties: a temporary element resolves them to colours.
function readInks(): Inks {
  const probe = document.createElement('span');
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const inks = {
    lines: LINE_INKS.map(read),
    text: read('--text-muted'),
    grid: read('--line'),
  };
  probe.remove();
  return inks;
}
