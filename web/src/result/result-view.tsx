import type { ToolResult } from './app-host.ts';
import {
  asFields,
  asList,
  type ResultHead,
  readDetails,
  readHead,
  readRunningJob,
  readSpending,
  readText,
  type SpendingRequest,
} from './read-result.ts';

/** What a person can do in the view. Without a host, there is nothing to approve. */
export interface ResultActions {
  /** Pays for the call by repeating it; the wallet still asks where it must. */
  readonly approve?: (() => void) | undefined;
  readonly deny?: (() => void) | undefined;
  readonly openLink?: ((url: string) => void) | undefined;
}

/** A result: its first lines, then what is particular to panels and reports. */
export function ResultView({
  result,
  actions = {},
}: {
  readonly result: ToolResult;
  readonly actions?: ResultActions;
}) {
  const spending = readSpending(result);
  if (spending !== undefined) return <Spending request={spending} actions={actions} />;
  const head = readHead(result);
  const state = result.structuredContent ?? {};
  const isRunning = readRunningJob(result) !== undefined;
  return (
    <main class={result.isError === true ? 'failed' : ''}>
      <h1>{head.answer}</h1>
      {head.why === undefined ? null : <p class="why">{head.why}</p>}
      <Progress state={state} isRunning={isRunning} />
      <Facts head={head} actions={actions} />
      <Votes state={state} />
      <Steps state={state} />
      <Details lines={readDetails(result)} />
    </main>
  );
}

function Facts({ head, actions }: { readonly head: ResultHead; readonly actions: ResultActions }) {
  const { decidedBy, cost, see } = head;
  const { openLink } = actions;
  return (
    <dl>
      {decidedBy === undefined ? null : <Fact name="Decided by" value={decidedBy} />}
      {cost === undefined ? null : <Fact name="Cost" value={cost} />}
      {see === undefined ? null : (
        <>
          <dt>See</dt>
          <dd>
            <a
              href={see}
              rel="noreferrer"
              onClick={(event) => {
                if (openLink === undefined) return;
                event.preventDefault();
                openLink(see);
              }}
            >
              {see}
            </a>
          </dd>
        </>
      )}
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

type State = Readonly<Record<string, unknown>>;

function Progress({ state, isRunning }: { readonly state: State; readonly isRunning: boolean }) {
  const [done, planned, unit] =
    'turns_planned' in state
      ? [state['turns_done'], state['turns_planned'], 'turns']
      : 'steps_planned' in state
        ? [state['steps_done'], state['steps_planned'], 'steps']
        : [state['probes_done'], state['probes_planned'], 'probes'];
  if (!isRunning || planned === undefined) return null;
  return (
    <p class="progress">
      <progress max={Number(planned)} value={Number(done)} aria-label={`finished ${unit}`} />
      <span>{`${Number(done)} of ${Number(planned)} ${unit}`}</span>
    </p>
  );
}

/** The votes of a finished panel, or the positions of a running one. */
function Votes({ state }: { readonly state: State }) {
  const tally = asFields(asFields(state['result'])['tally']);
  const counted = asList(tally['first_choices']);
  const rows = counted.length > 0 ? counted : asList(state['positions']);
  if (rows.length === 0) return null;
  const seats = Number(state['seats']);
  return (
    <section>
      <h2>{counted.length > 0 ? 'Votes' : 'Positions now'}</h2>
      <ul class="votes">
        {rows.map((row) => {
          const votes = Number(row['votes'] ?? row['seats']);
          const name = readText(row['name']);
          return (
            <li key={readText(row['option_id'])}>
              <span>{name}</span>
              <meter max={seats} value={votes} aria-label={`votes for ${name}`} />
              <span>{votes}</span>
            </li>
          );
        })}
      </ul>
      {asList(asFields(state['result'])['dissent']).map((one) => {
        const seat = readText(one['role'], `Seat ${readText(one['seat'])}`);
        return (
          <blockquote key={seat}>
            <b>{`${seat} for ${readText(asFields(one['position'])['name'])}: `}</b>
            {readText(one['reason'])}
          </blockquote>
        );
      })}
    </section>
  );
}

function Steps({ state }: { readonly state: State }) {
  const steps = asList(state['steps']);
  if (steps.length === 0) return null;
  return (
    <section>
      <h2>Steps</h2>
      <ol class="steps">
        {steps.map((step) => (
          <li key={readText(step['id'])} class={readText(step['status'])}>
            {`${readText(step['title'])}: ${readText(step['status'])}`}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Details({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary>Details and proofs</summary>
      <pre>{lines.join('\n')}</pre>
    </details>
  );
}

function Spending({
  request,
  actions,
}: {
  readonly request: SpendingRequest;
  readonly actions: ResultActions;
}) {
  const { amount, bought, payTo, reason, terms, isPayable } = request;
  const { approve, deny } = actions;
  return (
    <main class="spending">
      <h1>{`Pay $${amount} for: ${bought}?`}</h1>
      <p class="why">{reason}</p>
      <dl>
        <Fact name="Price" value={`$${amount}, once for this call`} />
        <Fact name="Paid to" value={payTo} />
        {terms === undefined ? null : <Fact name="Refund" value={terms} />}
        <Fact name="So far" value="Nothing was charged." />
      </dl>
      {approve === undefined || deny === undefined ? null : (
        <p class="buttons">
          {isPayable ? (
            <button type="button" class="first" onClick={approve}>
              {`Pay $${amount}`}
            </button>
          ) : null}
          <button type="button" onClick={deny}>
            Do not pay
          </button>
        </p>
      )}
    </main>
  );
}
