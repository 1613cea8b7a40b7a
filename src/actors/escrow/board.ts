import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import type { BoardServices } from './board-common.ts';
import { acceptBid, startRequestedJob } from './board-funding.ts';
import {
  completeJob,
  decideJob,
  disputeJob,
  fulfilJob,
  getJob,
  listJobs,
  readDeliverable,
  refundJob,
  withdrawJobDispute,
} from './board-jobs.ts';
import {
  listOpenRequests,
  placeBid,
  postRequest,
  withdrawBid,
  withdrawRequest,
} from './board-requests.ts';
import { readRequest } from './read-actors.ts';
import { createRequestView } from './views.ts';

/** Creates the work board over an engine that runs its requests and jobs. */
export function createWorkBoard(deps: BoardServices): WorkBoard {
  return {
    postRequest: (order, by) => postRequest(deps, order, by),
    listOpenRequests: (options) => listOpenRequests(deps, options),
    readRequest: async (requestId) =>
      createRequestView(deps, await readRequest(deps.engine, requestId)),
    withdrawRequest: (requestId, by) => withdrawRequest(deps, requestId, by),
    placeBid: (requestId, bid, by) => placeBid(deps, requestId, bid, by),
    withdrawBid: (bidId, by) => withdrawBid(deps, bidId, by),
    acceptBid: (bidId, payment, by) => acceptBid(deps, bidId, payment, by),
    startJob: (requestId, payment, by) => startRequestedJob(deps, requestId, payment, by),
    readJob: (jobId) => getJob(deps, jobId),
    listJobs: (options) => listJobs(deps, options),
    fulfil: (jobId, work, signature, by) => fulfilJob(deps, jobId, { ...work, signature }, by),
    complete: (jobId, proof, by) => completeJob(deps, jobId, proof, by),
    dispute: (jobId, reason, signature, by) => disputeJob(deps, jobId, { reason, signature }, by),
    withdrawDispute: (jobId, signature, by) => withdrawJobDispute(deps, jobId, signature, by),
    giveBack: (jobId, signature, by) => refundJob(deps, jobId, signature, by),
    decide: (jobId, verdict) => decideJob(deps, jobId, verdict),
    readDeliverable: (jobId, by) => readDeliverable(deps, jobId, by),
  };
}
