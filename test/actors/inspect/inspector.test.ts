import { engineConformance } from '../../runtime/engine-conformance.ts';
import { lmdbShelf, memoryShelf } from '../../support/shelf.ts';
import { actionClaims } from './claims/actions.ts';
import { actorClaims } from './claims/actor.ts';
import { directoryClaims } from './claims/directory.ts';
import { streamClaims } from './claims/streams.ts';

const PARTS = {
  directory: directoryClaims,
  'one actor': actorClaims,
  actions: actionClaims,
  streams: streamClaims,
};

engineConformance('memory', memoryShelf, PARTS);
engineConformance('lmdb', lmdbShelf, PARTS);
