import type { Services } from '../../actors/common/services.ts';
import { ignoreUnknownJob } from '../../actors/job/paid-job.ts';
import { createPanelState, type PanelReadDeps } from '../../actors/panel/panel-state.ts';
import { readPanelJob } from '../../actors/panel/panel-view.ts';
import { cancelPanel } from '../../actors/panel/panels.ts';
import { supplyTurns } from '../../actors/panel/supply-turns.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { JobQuestion, JobState, JobStatus, Jobs } from '../../domain/job/job.ts';
import type { PanelState } from '../../domain/panel/result.ts';
import { followJob } from '../job/follow-job.ts';
import { toJobState } from '../job/job-parts.ts';
import { answerPanel } from './panel-answer.ts';

/** Dependencies of {@link panelJobs}. */
export interface PanelJobDeps extends PanelReadDeps, Partial<Pick<Services, 'origins'>> {}

/** Returns the job interface of panels. */
export function panelJobs(deps: PanelJobDeps): Jobs {
  return {
    state: (jobId) => readJob(deps, jobId).catch(ignoreUnknownJob),
    watch: (jobId, listener) => {
      const seq = async () => (await readPanelJob(deps.engine, jobId, deps.panels)).seq;
      return followJob(deps.engine, jobId, { seq, read: () => readJob(deps, jobId) }, listener);
    },
    cancel: (jobId) => cancelPanel(deps, jobId),
    supply: (jobId, answers) => {
      const turns = answers.map(({ askId, answer }) => ({ turn_id: askId, answer }));
      return supplyTurns(deps, jobId, turns);
    },
  };
}

async function readJob(deps: PanelJobDeps, jobId: string): Promise<JobState> {
  const view = await readPanelJob(deps.engine, jobId, deps.panels);
  const state = createPanelState(view, deps.blobs);
  const result = await answerPanel(deps, state, deps.origins?.()[0]);
  const asks = (state.needs_turns ?? []).map(toJobAsk);
  const outcome = state.status === 'decided' ? 'delivered' : 'failed';
  return toJobState(view, { status: toJobStatus(state), outcome, result, asks });
}

function toJobAsk(turn: NonNullable<PanelState['needs_turns']>[number]): JobQuestion {
  const { turn_id: askId, system, prompt, schema } = turn;
  return { askId, system, prompt, schema: schema as JsonObject };
}

function toJobStatus({ status }: PanelState): JobStatus {
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
