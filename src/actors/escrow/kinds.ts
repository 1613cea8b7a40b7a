/** Actor kind of jobs. */
export const JOB_KIND = 'job';
/** Actor kind of requests. */
export const REQUEST_KIND = 'request';
