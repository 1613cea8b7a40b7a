import { jobMachine } from '../../machines/escrow/job.ts';
import { requestMachine } from '../../machines/escrow/request.ts';
import type { Kind } from '../../runtime/engine/types.ts';
/** Actor kind of jobs. */
export const jobKind: Kind<typeof jobMachine> = { kind: 'job', machine: jobMachine };
/** Actor kind of requests. */
export const requestKind: Kind<typeof requestMachine> = {
  kind: 'request',
  machine: requestMachine,
};
