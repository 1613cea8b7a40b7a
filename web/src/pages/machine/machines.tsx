import type { JSX } from 'preact';
import { Gallery } from '../../machines/gallery.tsx';
import { MachineView } from '../../machines/machine-view.tsx';
import type { PageProps } from '../../shell/router.ts';
import './machines.css';

/** All machines, or the one named in the URL. */
export function MachinesPage({ rest: [kind] }: PageProps): JSX.Element {
  return kind === undefined ? <Gallery /> : <MachineView kind={kind} />;
}
