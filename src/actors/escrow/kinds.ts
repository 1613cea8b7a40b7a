import { jobMachine } from '../../machines/escrow/job.ts';
import { requestMachine } from '../../machines/escrow/request.ts';

/** Actor kind of jobs. */
export const jobKind = { kind: 'job', machine: jobMachine } as const;
/** Actor kind of requests. */
export const requestKind = { kind: 'request', machine: requestMachine } as const;
