import type { PanelFrame } from '../../../../src/domain/inspect/wire.ts';
import { ArbitrationParts } from './arbitration-details.tsx';
import { CouncilParts } from './council-details.tsx';
import './panel-details.css';
import '../trust/trust.css';

/** Sections specific to the kind of panel. */
export function PanelParts({ frame: { details } }: { readonly frame: PanelFrame }) {
  switch (details?.kind) {
    case 'council':
      return <CouncilParts details={details} />;
    case 'arbitration':
      return <ArbitrationParts details={details} />;
    case undefined:
      return null;
  }
}
