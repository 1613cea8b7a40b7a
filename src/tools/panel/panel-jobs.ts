import { undefinedWhereUnknown } from '../../actors/job/paid-job.ts';
import { type ReadDeps, stateOf } from '../../actors/panel/panel-state.ts';
import { supplyTurns } from '../../actors/panel/panel-supply.ts';
import { viewPanel } from '../../actors/panel/panel-view.ts';
import { cancelPanel } from '../../actors/panel/panels.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { JobAsk, JobKind, JobState, JobStatus } from '../../domain/job/job.ts';
import type { PanelState } from '../../domain/panel/result.ts';
import { followJob } from '../job/follow-job.ts';
import { jobStateOf } from '../job/job-parts.ts';
import { panelAnswer } from './panel-answer.ts';

/** Returns the job interface of panels. */
export function panelJobs(deps: ReadDeps): JobKind {
  return {
    state: (jobId) => readJob(deps, jobId).catch(undefinedWhereUnknown),
    watch: (jobId, listener) => {
      const seq = async () => (await viewPanel(deps.engine, jobId, deps.panels)).seq;
      return followJob(deps.engine, jobId, { seq, read: () => readJob(deps, jobId) }, listener);
    },
    cancel: (jobId) => cancelPanel(deps, jobId),
    supply: (jobId, answers) => {
      const turns = answers.map(({ askId, answer }) => ({ turn_id: askId, answer }));
      return supplyTurns(deps, jobId, turns);
    },
  };
}

async function readJob(deps: ReadDeps, jobId: string): Promise<JobState> {
  const view = await viewPanel(deps.engine, jobId, deps.panels);
  const state = stateOf(view, deps.blobs);
  const result = panelAnswer(state, deps.panels);
  const asks = (state.needs_turns ?? []).map(askOf);
  return jobStateOf(view, { status: statusOf(state), result, asks });
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
