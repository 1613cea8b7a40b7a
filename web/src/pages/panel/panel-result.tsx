import type { JSX } from 'preact';
import type { PanelBallot, PanelCount, PanelFrame } from '../../../../src/domain/inspect/wire.ts';
import { TruncatedText } from '../../journal/value-tree.tsx';

/** The decision of a panel with its dissent. */
export function PanelDecided({
  frame: { decision, status },
}: {
  readonly frame: PanelFrame;
}): JSX.Element | null {
  if (decision === null) return null;
  return (
    <section class="decision" aria-labelledby="decision-title" data-decision={status}>
      <h2 id="decision-title">Decision</h2>
      <p class="decision-option">
        {decision.option === null ? (
          'No decision was reached.'
        ) : (
          <TruncatedText text={decision.option} />
        )}
      </p>
      <p class="muted">
        {decision.how}
        {decision.isForced ? (
          <span class="tag is-forced">forced: the vote alone was not decisive</span>
        ) : null}
      </p>
      {decision.dissent.length === 0 ? null : (
        <>
          <h3>Dissent</h3>
          <ul class="dissent">
            {decision.dissent.map(({ seat, text }) => (
              <li key={seat}>
                <strong>{seat}</strong> <TruncatedText text={text} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** The tally and the ballots of a panel. */
export function PanelTally({ frame }: { readonly frame: PanelFrame }): JSX.Element | null {
  const { tally, ballots } = frame;
  if (tally === null && ballots.length === 0) return null;
  return (
    <>
      {tally === null ? null : <Tally tally={tally} chosen={frame.decision?.option ?? null} />}
      {ballots.length === 0 ? null : <Ballots ballots={ballots} />}
    </>
  );
}

function Tally({
  tally,
  chosen,
}: {
  readonly tally: readonly PanelCount[];
  readonly chosen: string | null;
}): JSX.Element {
  const most = Math.max(1, ...tally.map(({ score }) => parseScore(score)));
  return (
    <section class="panel-box" aria-labelledby="tally-title">
      <h2 id="tally-title">Tally</h2>
      <ol class="tally">
        {tally.map(({ option, score, detail }) => (
          <li key={option} class={option === chosen ? 'is-chosen' : ''} data-option={option}>
            <span class="tally-option">
              <TruncatedText text={option} />
            </span>
            <strong class="tally-score">{score}</strong>
            <span class="bar" aria-hidden="true">
              <span class="bar-part" style={{ width: `${(100 * parseScore(score)) / most}%` }} />
            </span>
            <span class="muted">{detail}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Parses the positive number at the start of a score; 0 if there is none. */
export function parseScore(score: string): number {
  const amount = Number.parseFloat(score);
  return Number.isFinite(amount) && amount > 0 ? amount : 0;
}

function Ballots({ ballots }: { readonly ballots: readonly PanelBallot[] }): JSX.Element {
  return (
    <section class="panel-box" aria-labelledby="ballots-title">
      <h2 id="ballots-title">Ballots</h2>
      <ul class="ballots">
        {ballots.map(({ seat, round, ranking, confidence, reason }) => (
          <li key={`${seat}/${round}`} data-ballot={seat}>
            <strong>{seat}</strong>
            <ol class="ranking">
              {ranking.map((option) => (
                <li key={option}>
                  <bdi>{option}</bdi>
                </li>
              ))}
            </ol>
            <span class="muted">
              {confidence === null ? '' : `confidence ${Math.round(confidence * 100)} %`}
            </span>
            {reason === '' ? null : (
              <p class="ballot-reason">
                <TruncatedText text={reason} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
