/** Names in the folder of a router. */
export const ROUTER_FILES = {
  /** The table in force, which outlives the process. */
  routes: 'routes.json',
  control: 'router.sock',
  /** Folder of the rows of answered requests. */
  spool: 'spool',
  /** Which start of the machine the table is of. */
  boot: 'boot',
} as const;
