import type { JSX } from 'preact';
import type { CoverageReport } from '../../../src/domain/inspect/coverage.ts';
import type {
  GraphState,
  GraphTransition,
  MachineGraph,
} from '../../../src/domain/inspect/graph.ts';

/** The states of a machine with their descriptions. */
export function StateTable(props: {
  readonly states: readonly GraphState[];
  readonly report: CoverageReport | null;
}): JSX.Element {
  const { states, report } = props;
  return (
    <div class="machine-section">
      <h2 id="states-title">States</h2>
      {/* A scrollable region must be reachable by keyboard. */}
      <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="states-title">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Meaning</th>
              <th scope="col">Effects</th>
              {report === null ? null : (
                <th scope="col" class="number">
                  Covered
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {states.map((state) => (
              <tr key={state.id}>
                <th scope="row" class="mono">
                  <span class={`depth-${Math.min(3, state.id.split('.').length - 1)}`}>
                    {state.key}
                  </span>
                  {TYPE_LABELS[state.type] === '' ? null : (
                    <span class="tag">{TYPE_LABELS[state.type]}</span>
                  )}
                </th>
                <td class="is-meaning">{state.description}</td>
                <td class="mono">{state.effects.map(({ src }) => src).join(', ')}</td>
                {report === null ? null : <Count count={report.states[state.id] ?? 0} />}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The transitions of a machine. */
export function TransitionTable(props: {
  readonly graph: MachineGraph;
  readonly report: CoverageReport | null;
}): JSX.Element {
  const { graph, report } = props;
  return (
    <div class="machine-section">
      <h2 id="transitions-title">Transitions</h2>
      <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="transitions-title">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">On</th>
              <th scope="col">Guard</th>
              <th scope="col">To</th>
              <th scope="col">Actions</th>
              {report === null ? null : (
                <th scope="col" class="number">
                  Covered
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {graph.transitions.map((transition) => (
              <tr key={transition.id}>
                <td class="mono">
                  {transition.sourceId === '' ? 'any state' : transition.sourceId}
                </td>
                <th scope="row" class="mono">
                  {transition.label}
                </th>
                <td class="mono">{transition.guard ?? ''}</td>
                <td class="mono">{formatTargets(transition)}</td>
                <td class="mono">{transition.actions.join(', ')}</td>
                {report === null ? null : <Count count={report.transitions[transition.id] ?? 0} />}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Count({ count }: { readonly count: number }): JSX.Element {
  return (
    <td class={count === 0 ? 'number is-missing' : 'number'}>{count === 0 ? 'never' : count}</td>
  );
}

function formatTargets({ targetIds, reenters }: GraphTransition): string {
  if (targetIds.length === 0) return 'stays';
  return targetIds.join(', ') + (reenters ? ' (re-enters)' : '');
}

const TYPE_LABELS: Readonly<Record<GraphState['type'], string>> = {
  atomic: '',
  compound: 'nested',
  parallel: 'parallel',
  final: 'final',
  history: 'history',
};
