import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import { acceptBid, beginRequest } from './board-funding.ts';
import {
  completeJob,
  decideJob,
  disputeJob,
  fulfilJob,
  getJob,
  giveJobBack,
  listJobs,
  readDeliverable,
  withdrawJobDispute,
} from './board-jobs.ts';
import { type BoardDeps, viewDeps } from './board-parts.ts';
import {
  openRequests,
  placeBid,
  postRequest,
  withdrawBid,
  withdrawRequest,
} from './board-requests.ts';
import { readRequest } from './read.ts';
import { viewRequest } from './views.ts';

/** Creates the work board over an engine that runs its requests and jobs. */
export function createWorkBoard(deps: BoardDeps): WorkBoard {
  return {
    post: (order, by) => postRequest(deps, order, by),
    open: (options) => openRequests(deps, options),
    request: async (requestId) =>
      viewRequest(viewDeps(deps), await readRequest(deps.engine, requestId)),
    withdraw: (requestId, by) => withdrawRequest(deps, requestId, by),
    bid: (requestId, bid, by) => placeBid(deps, requestId, bid, by),
    withdrawBid: (bidId, by) => withdrawBid(deps, bidId, by),
    accept: (bidId, payment, by) => acceptBid(deps, bidId, payment, by),
    begin: (requestId, payment, by) => beginRequest(deps, requestId, payment, by),
    job: (jobId) => getJob(deps, jobId),
    jobs: (options) => listJobs(deps, options),
    fulfil: (jobId, work, signature, by) => fulfilJob(deps, jobId, { ...work, signature }, by),
    complete: (jobId, proof, by) => completeJob(deps, jobId, proof, by),
    dispute: (jobId, reason, signature, by) => disputeJob(deps, jobId, { reason, signature }, by),
    withdrawDispute: (jobId, signature, by) => withdrawJobDispute(deps, jobId, signature, by),
    giveBack: (jobId, signature, by) => giveJobBack(deps, jobId, signature, by),
    decide: (jobId, verdict) => decideJob(deps, jobId, verdict),
    deliverable: (jobId, by) => readDeliverable(deps, jobId, by),
  };
}
