import { useEffect, useState } from 'preact/hooks';
import { theme } from '../shell/theme.ts';

/** Colours of the lines of a plot, in the order of its series. */
export const LINE_INKS = ['--accent', '--warning', '--good', '--bad'] as const;

/** The colours that a canvas is drawn with. */
export interface Inks {
  readonly lines: readonly string[];
  readonly text: string;
  readonly grid: string;
}

/** The colours of the present theme; new ones when the theme, or that of the machine, changes. */
export function useInks(): Inks {
  const [inks, setInks] = useState(readInks);
  const chosen = theme.value;
  useEffect(() => {
    // The theme is on the root by the time that effects run.
    setInks(readInks());
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const renew = (): void => setInks(readInks());
    dark.addEventListener('change', renew);
    return () => dark.removeEventListener('change', renew);
  }, [chosen]);
  return inks;
}

// A canvas knows no custom properties, and their text is no colour yet: an element resolves them.
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
