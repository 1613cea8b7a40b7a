import type { JSX } from 'preact';
import type { PanelFrame, PanelSeat, PanelTurn } from '../../../../src/domain/inspect/wire.ts';
import { TruncatedText } from '../../journal/value-tree.tsx';
import { ClockTime } from '../../parts/times.tsx';
import type { LiveText } from './live-text.ts';

/** Number of characters of a turn shown initially. */
const TURN_SHOWN = 700;

/** The seats of a panel with their current state. */
export function PanelSeats({ seats }: { readonly seats: readonly PanelSeat[] }): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="seats-title">
      <h2 id="seats-title">Seats</h2>
      <ul class="seats">
        {seats.map(({ seat, role, filledBy, state }) => (
          <li key={seat} class={`seat is-${state}`} data-seat={seat}>
            <span class="seat-dot" aria-hidden="true" />
            <span class="seat-name">
              {seat} <bdi class="muted">{role}</bdi>
            </span>
            <bdi class="seat-by muted">{filledBy}</bdi>
            <span class="seat-state">{state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The turns in order of arrival, grouped by phase and round, then the live text. */
export function PanelTurns({
  frame,
  speech,
}: {
  readonly frame: PanelFrame;
  readonly speech: LiveText;
}): JSX.Element {
  const groups = groupTurns(frame.turns);
  const roles = new Map(frame.seats.map(({ seat, role }) => [seat, role]));
  return (
    <section aria-labelledby="turns-title">
      <h2 id="turns-title">Turns</h2>
      {groups.length === 0 ? <p class="muted">No turns yet.</p> : null}
      {groups.map(({ name, turns }) => (
        <section key={name} class="turn-group" aria-label={name}>
          <h3>{name}</h3>
          <ol class="turns">
            {turns.map((turn) => (
              <Turn
                key={`${turn.phase}/${turn.round}/${turn.seat}`}
                turn={turn}
                role={roles.get(turn.seat)}
              />
            ))}
          </ol>
        </section>
      ))}
      <Speaking frame={frame} speech={speech} />
    </section>
  );
}

function Turn({
  turn,
  role,
}: {
  readonly turn: PanelTurn;
  readonly role: string | undefined;
}): JSX.Element {
  return (
    <li
      class={`turn${turn.isOk ? '' : ' is-failed'}`}
      data-turn={`${turn.phase}/${turn.round}/${turn.seat}`}
    >
      <p class="turn-head">
        <strong>{turn.seat}</strong> <bdi class="muted">{role}</bdi>
        {turn.isOk ? null : <span class="entry is-poison">failed</span>}
        <span class="muted turn-time">
          <ClockTime at={turn.at} />
        </span>
      </p>
      <p class="turn-text">
        {turn.text === '' ? (
          <span class="muted">secret until the count</span>
        ) : (
          <TruncatedText text={turn.text} shownChars={TURN_SHOWN} />
        )}
      </p>
    </li>
  );
}

function Speaking({
  frame,
  speech,
}: {
  readonly frame: PanelFrame;
  readonly speech: LiveText;
}): JSX.Element | null {
  const speaking = frame.seats.filter(({ state }) => state === 'speaking');
  if (speaking.length === 0 || frame.status !== 'active') return null;
  return (
    <section class="turn-group" aria-label="Speaking now">
      <h3>Speaking now</h3>
      <ul class="turns">
        {speaking.map(({ seat, role, filledBy }) => (
          <li key={seat} class="turn is-speaking">
            <p class="turn-head">
              <strong>{seat}</strong> <bdi class="muted">{role}</bdi>
            </p>
            <p class="turn-text is-streamed">
              <bdi>{speech.get(seat) ?? PLACEHOLDERS[filledBy] ?? '…'}</bdi>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Placeholder for a seat without live text, by who fills it. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { caller: 'Waiting for the caller.' };

interface TurnGroup {
  readonly name: string;
  readonly turns: readonly PanelTurn[];
}

/** Groups turns by phase and round, in the order of first arrival. */
export function groupTurns(turns: readonly PanelTurn[]): readonly TurnGroup[] {
  const groups = new Map<string, PanelTurn[]>();
  for (const turn of turns) {
    const name = turn.round === 0 ? turn.phase : `${turn.phase}, round ${turn.round}`;
    const group = groups.get(name) ?? [];
    group.push(turn);
    groups.set(name, group);
  }
  return [...groups].map(([name, of]) => ({ name, turns: of }));
}
