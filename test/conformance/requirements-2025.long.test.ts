import { meets } from './required.ts';

meets({ revision: '2025-11-25', path: '/v1/mcp', scenarios: 30, passed: 69, checks: 83 });
meets({ revision: '2025-11-25', path: '/v2/', scenarios: 30, passed: 69, checks: 83 });
