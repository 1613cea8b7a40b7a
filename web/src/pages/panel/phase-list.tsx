import type { JSX } from 'preact';
import type { PanelFrame } from '../../../../src/domain/inspect/wire.ts';

/** The phases of a panel in order, with the current one marked. */
export function PhaseList({ phases, phase }: Pick<PanelFrame, 'phases' | 'phase'>): JSX.Element {
  const current = phases.indexOf(phase);
  return (
    <ol class="phases" aria-label="Phases">
      {phases.map((name, index) => (
        <li
          key={name}
          class={index < current ? 'is-past' : index === current ? 'is-current' : ''}
          aria-current={index === current ? 'step' : undefined}
        >
          <span class="phase-mark" aria-hidden="true">
            {index < current ? '✓' : index + 1}
          </span>
          {name.replaceAll('_', ' ')}
          {index < current ? <span class="visually-hidden">, completed</span> : null}
        </li>
      ))}
    </ol>
  );
}
