/** File names in the folder of a router. */
export const ROUTER_FILES = {
  /** The active table, which outlives the process. */
  routes: 'routes.json',
  control: 'router.sock',
  /** Folder with the rows of answered requests. */
  spool: 'spool',
  /** Boot id of the machine for which the table is valid. */
  boot: 'boot',
} as const;
