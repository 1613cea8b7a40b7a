import type { JournalEntry, ListRow, View } from '../engine/types.ts';

