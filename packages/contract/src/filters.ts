/** The filters of lists, without the messages: the console loads them with every list. */
export * from './filter.ts';
export * from './list-fields.ts';
