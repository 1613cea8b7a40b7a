/** Kind of the actors of jobs. */
export const JOB_KIND = 'job';
/** Kind of the actors of requests. */
export const REQUEST_KIND = 'request';
