import { useEffect, useState } from 'preact/hooks';

/** Largest window width of the phone layout, in CSS pixels. */
export const PHONE_MAX_PX = 640;

/** Returns true while the window is narrow enough for the phone layout. */
export function useIsPhone(): boolean {
  const [query] = useState(() => matchMedia(`(max-width: ${PHONE_MAX_PX}px)`));
  const [isPhone, setPhone] = useState(query.matches);
  useEffect(() => {
    const changed = (): void => setPhone(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return isPhone;
}
