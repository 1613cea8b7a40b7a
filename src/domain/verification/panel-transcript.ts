import { hashJson, sha256Hex } from '../common/hash.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { createBallots } from '../panel/ballots.ts';
import type { CodeNote, PanelBrief, PanelDefinition, SpokenTurn } from '../panel/definition.ts';
import { PANELS } from '../panel/panels.ts';
import type { Ballot, TallyRule } from '../panel/records.ts';
import type { Tally } from '../panel/tally.ts';
import { recomputeRoot, TRANSCRIPT_FORMAT, Transcript } from '../panel/transcript.ts';
import { invalidVerdict } from './invalid-verdict.ts';

/** Verdict on a panel transcript. */
export type TranscriptVerdict =
  | {
      readonly isValid: true;
      readonly kind: string;
      readonly jobId: string;
      readonly root: string;
      readonly turns: number;
      /** Number of valid ballots. */
      readonly cast: number;
      /** Recomputed from the ballots; `null` if nothing was counted or there was no quorum. */
      readonly winner: string | null;
      readonly rule: TallyRule | null;
      readonly forced: boolean;
    }
  | { readonly isValid: false; readonly reason: string };

/** Checks whether a value claims to be a panel transcript. */
export function isTranscriptFile(value: unknown): boolean {
  return isObject(value) && value['format'] === TRANSCRIPT_FORMAT;
}

/**
 * Verifies a transcript offline by recomputing it: the hashes of texts, the root, the results of
 * code phases, the ballots and the count. A valid transcript proves that the decision follows from
 * the turns, not that the turns are true. The root covers turns, ballots and notes, but not the
 * text of the question.
 */
export function verifyTranscript(
  value: unknown,
  panels: readonly PanelDefinition[] = PANELS,
): TranscriptVerdict {
  const parsed = Transcript.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalidVerdict(`it is not a transcript: "${issue?.path.join('.')}": ${issue?.message}`);
  }
  const transcript = parsed.data;
  const panel = panels.find(({ kind }) => kind === transcript.kind);
  if (panel === undefined) return invalidVerdict(`unknown kind of panel: “${transcript.kind}”`);
  if (!transcript.is_final || transcript.root === null) return invalidVerdict('it is not final');
  const brief = panel.brief.safeParse(transcript.brief);
  if (!brief.success) return invalidVerdict('the brief does not fit this kind of panel');
  if (recomputeRoot(transcript) !== transcript.root) {
    return invalidVerdict('the root does not match the turns and ballots');
  }
  const fault = findTextProblem(transcript);
  if (fault !== undefined) return invalidVerdict(fault);
  const notes = recomputeNotes(panel, brief.data, transcript);
  if (typeof notes === 'string') return invalidVerdict(notes);
  return verifyCount(panel, transcript, notes);
}

function findTextProblem({ turns }: Transcript): string | undefined {
  for (const { turnId, argument, argumentSha, content, contentSha } of turns) {
    if (argument !== null && sha256Hex(argument) !== argumentSha) {
      return `the argument of ${turnId} does not match its hash`;
    }
    if (content !== undefined && hashJson(content) !== contentSha) {
      return `the answer of ${turnId} does not match its hash`;
    }
  }
  return undefined;
}

/** Recomputes each code phase from the turns before it. */
function recomputeNotes(
  panel: PanelDefinition,
  brief: PanelBrief,
  { turns, seats, rules, notes = {} }: Transcript,
): Readonly<Record<string, CodeNote>> | string {
  const computed: Record<string, CodeNote> = {};
  for (const [place, phase] of panel.phases.entries()) {
    const stated = notes[phase.name];
    if (phase.by !== 'code' || stated === undefined) continue;
    const before = panel.phases.slice(0, place).map(({ name }) => name);
    const note = phase.compute({
      brief,
      seats,
      policy: rules.policy ?? {},
      turns: turns.filter((turn) => before.includes(turn.phase)).map(toSpokenTurn),
      notes: listContents(computed),
    });
    if (hashJson(note.content) !== hashJson(stated)) {
      return `the note of ${phase.name} does not follow from brief and turns`;
    }
    computed[phase.name] = note;
  }
  return computed;
}

function listContents(notes: Readonly<Record<string, CodeNote>>) {
  return Object.fromEntries(Object.entries(notes).map(([name, { content }]) => [name, content]));
}

function toSpokenTurn(turn: Transcript['turns'][number]): SpokenTurn {
  return { ...turn, content: (turn.content ?? null) as JsonObject | null };
}

function verifyCount(
  panel: PanelDefinition,
  transcript: Transcript,
  notes: Readonly<Record<string, CodeNote>>,
): TranscriptVerdict {
  const { kind, job_id: jobId, root, turns, ballots, decision } = transcript;
  const facts = { isValid: true, kind, jobId, root: root ?? '', turns: turns.length } as const;
  if (ballots.length === 0) {
    const isStated = decision !== null && decision !== undefined;
    if (isStated) return invalidVerdict('a decision without ballots');
    return { ...facts, cast: 0, winner: null, rule: null, forced: false };
  }
  if (!isSameBallots(ballots, recomputeBallots(panel, transcript))) {
    return invalidVerdict('the ballots do not follow from the votes');
  }
  const tally = recomputeTally(panel, transcript, notes);
  const { winner, rule, forced, cast } = tally;
  if (decision !== null && decision !== undefined && !matchesDecision(tally, decision)) {
    return invalidVerdict(
      `the ballots give ${winner ?? 'no winner'}, not ${decision.winner ?? 'none'}`,
    );
  }
  return { ...facts, cast, winner, rule, forced };
}

function recomputeBallots(panel: PanelDefinition, { turns, seats, ballots, rules }: Transcript) {
  const cast = createBallots(turns, seats, {
    carryPositions: ballots.some(({ source }) => source === 'position'),
    devilSeatId: rules.devil_seat_id ?? undefined,
  });
  return panel.ballots?.(turns, cast) ?? cast;
}

/** Reasons are part of the vote turns, whose hashes are checked. */
function isSameBallots(stated: readonly Ballot[], computed: readonly Ballot[]): boolean {
  const bare = (ballots: readonly Ballot[]) => ballots.map(({ reason: _reason, ...rest }) => rest);
  return hashJson(bare(stated)) === hashJson(bare(computed));
}

function recomputeTally(
  panel: PanelDefinition,
  { ballots, rules, seats }: Transcript,
  notes: Readonly<Record<string, CodeNote>>,
): Tally {
  const summaries = Object.entries(notes).map(([name, { summary }]) => [name, summary] as const);
  return panel.tally(
    ballots,
    {
      seats: seats.length,
      optionIds: rules.option_ids,
      chairSeatId: rules.chair_seat_id,
      tieDefault: rules.tie_default,
      counting: rules.counting,
    },
    { notes: Object.fromEntries(summaries), policy: rules.policy ?? {}, seats },
  );
}

function matchesDecision(tally: Tally, decision: NonNullable<Transcript['decision']>): boolean {
  const { winner, rule, forced } = decision;
  return tally.winner === winner && tally.rule === rule && tally.forced === forced;
}
