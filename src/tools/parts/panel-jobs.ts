import { type ReadDeps, readPanel } from '../../actors/panels/panel-state.ts';
import { supplyTurns } from '../../actors/panels/panel-supply.ts';
import { viewPanel } from '../../actors/panels/panel-view.ts';
import { cancelPanel } from '../../actors/panels/panels.ts';
import { AppError } from '../../domain/error.ts';
import type { JobAsk, JobKind, JobState, JobStatus } from '../../domain/job.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { PanelState } from '../../domain/panel/result.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { panelAnswer } from './panel-answer.ts';

/** When asking again is worth it, where the state does not say. */
const POLL_AFTER_MS = 2 * SECOND_MS;

/** Panels as jobs. */
export function panelJobs(deps: ReadDeps): JobKind {
  const state = (jobId: string): Promise<JobState | undefined> =>
    readJob(deps, jobId).catch((thrown: unknown) => {
      if (thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN') return undefined;
      throw thrown;
    });
  return {
    state,
    watch: (jobId, listener) => new PanelWatch(deps, jobId, listener).end,
    cancel: (jobId) => cancelPanel(deps, jobId),
    supply: (jobId, answers) => {
      const turns = answers.map(({ askId, answer }) => ({ turn_id: askId, answer }));
      return supplyTurns(deps, jobId, turns);
    },
  };
}

async function readJob(deps: ReadDeps, jobId: string): Promise<JobState> {
  const { createdAt, at } = await viewPanel(deps.engine, jobId, deps.panels);
  const state = await readPanel(deps, jobId);
  const result = panelAnswer(state, deps.panels);
  const [first] = result.content;
  const [message = ''] = first?.type === 'text' ? first.text.split('\n') : [];
  return {
    jobId,
    status: statusOf(state),
    message,
    createdAt,
    updatedAt: at,
    pollAfterMs: state.poll_after_ms ?? POLL_AFTER_MS,
    asks: (state.needs_turns ?? []).map(askOf),
    result,
  };
}

function askOf(turn: NonNullable<PanelState['needs_turns']>[number]): JobAsk {
  const { turn_id: askId, system, prompt, schema } = turn;
  return { askId, system, prompt, schema: schema as JsonObject };
}

function statusOf({ status }: PanelState): JobStatus {
  switch (status) {
    case 'working':
      return 'working';
    case 'needs_turns':
      return 'needs_input';
    case 'cancelled':
      return 'cancelled';
    case 'decided':
    case 'no_quorum':
    case 'failed':
      return 'ended';
  }
}

/** Reads a panel again after its commits; those that come during a reading are read together. */
class PanelWatch {
  readonly #deps: ReadDeps;
  readonly #jobId: string;
  readonly #listener: (state: JobState) => void;
  #stop: (() => void) | undefined;
  #isReading = false;
  #isBehind = false;
  #isEnded = false;

  constructor(deps: ReadDeps, jobId: string, listener: (state: JobState) => void) {
    this.#deps = deps;
    this.#jobId = jobId;
    this.#listener = listener;
    this.#begin().catch(() => undefined);
  }

  readonly end = (): void => {
    this.#isEnded = true;
    this.#stop?.();
  };

  // An id that names no panel rejects here, and nothing is ever told about it.
  async #begin(): Promise<void> {
    const { seq } = await viewPanel(this.#deps.engine, this.#jobId, this.#deps.panels);
    if (this.#isEnded) return;
    this.#stop = this.#deps.engine.watch(this.#jobId, seq + 1, () => this.#look());
    this.#look();
  }

  #look(): void {
    this.#isBehind = true;
    if (!this.#isReading) this.#read().catch(() => undefined);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isBehind && !this.#isEnded) {
        this.#isBehind = false;
        const state = await readJob(this.#deps, this.#jobId);
        if (!this.#isEnded) this.#listener(state);
      }
    } finally {
      this.#isReading = false;
    }
  }
}
