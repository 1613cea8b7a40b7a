import type { JSX } from 'preact';
import { useShortcuts } from '../shell/shortcuts.ts';
import type { ActorModel } from './actor-model.ts';
import { formatCount, formatEvent, formatPreciseTime } from './format.ts';
import { SPEEDS, type Speed } from './travel.ts';

/** Paths of icons on a 16 by 16 grid; not all fonts have these symbols. */
const PATHS = {
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M11.5 3v10L4.5 8z',
  play: 'M4.5 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  forward: 'M4.5 3v10l7-5z',
} as const;

/** Time-travel controls: first, back, play, forward, live, and a slider over all rows. */
export function TravelBar({ model }: { readonly model: ActorModel }): JSX.Element {
  const { travel, rows } = model;
  const { firstSeq, lastSeq } = rows.span.value;
  const at = travel.at.value;
  const seq = at ?? lastSeq;
  const isPlaying = travel.isPlaying.value;
  const togglePlay = (): void => (isPlaying ? travel.pause() : travel.play());
  useTravelKeys(model, togglePlay);
  return (
    <fieldset class="bare travel" aria-label="Time travel">
      <div class="travel-buttons">
        <StepButton
          label="First row"
          mark="first"
          run={() => travel.goTo(firstSeq)}
          isDisabled={seq <= firstSeq}
        />
        <StepButton
          label="One row back"
          mark="back"
          run={() => travel.step(-1)}
          isDisabled={seq <= firstSeq}
        />
        <StepButton
          label={isPlaying ? 'Pause' : 'Replay'}
          mark={isPlaying ? 'pause' : 'play'}
          run={togglePlay}
        />
        <StepButton
          label="One row forward"
          mark="forward"
          run={() => travel.step(1)}
          isDisabled={seq >= lastSeq}
        />
        <label class="travel-speed">
          <span class="visually-hidden">Replay speed</span>
          <select
            class="field is-small"
            value={travel.speed.value}
            onChange={({ currentTarget }) => travel.setSpeed(Number(currentTarget.value) as Speed)}
          >
            {SPEEDS.map((speed) => (
              <option key={speed} value={speed}>
                {speed}×
              </option>
            ))}
          </select>
        </label>
      </div>
      <input
        class="travel-slider"
        type="range"
        aria-label="Row of the journal"
        aria-valuetext={formatPosition(model, seq)}
        min={firstSeq}
        max={Math.max(firstSeq, lastSeq)}
        value={seq}
        onInput={({ currentTarget }) => travel.goTo(Number(currentTarget.value))}
      />
      <output class="travel-place">
        {formatPosition(model, seq)}
        <span class="quiet"> of {lastSeq.toLocaleString('en')}</span>
      </output>
      <LiveButton model={model} />
    </fieldset>
  );
}

function LiveButton({ model: { travel } }: { readonly model: ActorModel }): JSX.Element {
  const unseen = travel.unseen.value;
  if (travel.at.value === null) {
    return (
      <span class="live-mark">
        <span class="live-dot" aria-hidden="true" />
        Live
      </span>
    );
  }
  return (
    <button type="button" class="button is-primary is-small" onClick={travel.live}>
      {unseen === 0 ? 'Go live' : `Go live, ${formatCount(unseen, 'new row')}`}
    </button>
  );
}

function formatPosition({ rows }: ActorModel, seq: number): string {
  // Reading `change` renders again when the row arrives.
  const row = rows.change.value >= 0 ? rows.row(seq) : null;
  const tail = row === null ? '' : `, ${formatEvent(row.event)}, ${formatPreciseTime(row.at)}`;
  return `row ${seq}${tail}`;
}

interface StepProps {
  readonly label: string;
  readonly mark: IconName;
  readonly isDisabled?: boolean;
  run(): void;
}

function StepButton({ label, mark, run, isDisabled = false }: StepProps): JSX.Element {
  return (
    <button
      type="button"
      class="button is-small"
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={run}
    >
      <Icon name={mark} />
    </button>
  );
}

function useTravelKeys({ travel, rows, mark }: ActorModel, turn: () => void): void {
  const here = (): number => travel.at.peek() ?? rows.span.peek().lastSeq;
  useShortcuts([
    { keys: ',', words: 'One row back', run: () => travel.step(-1) },
    { keys: '.', words: 'One row forward', run: () => travel.step(1) },
    { keys: 'p', words: 'Replay or pause', run: turn },
    { keys: 'l', words: 'Go live', run: travel.live },
    { keys: 'a', words: 'Compare from this row (A)', run: () => mark('from', here()) },
    { keys: 'b', words: 'Compare to this row (B)', run: () => mark('to', here()) },
  ]);
}

type IconName = keyof typeof PATHS;

/** A decorative icon for a button with its own label. */
function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
