import { meets } from './required.ts';

meets({ revision: '2026-07-28', path: '/v2/', scenarios: 37, passed: 110, checks: 196 });
