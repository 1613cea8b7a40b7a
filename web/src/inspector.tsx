import { INSPECTOR_PAGES } from './inspector-pages.ts';
import { startConsole } from './start-console.tsx';

void startConsole({ pages: INSPECTOR_PAGES, host: 'program' });
