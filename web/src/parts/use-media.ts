import { useEffect, useState } from 'preact/hooks';

/** The width, in CSS pixels, up to which a page is drawn for a phone. */
export const PHONE_MAX_PX = 640;

/** Whether the window is as narrow as a phone's; follows it. */
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
