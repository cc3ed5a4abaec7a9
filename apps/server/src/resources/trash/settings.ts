import { wholeNumber } from '../../setting-schemas.ts';

export const trashSettings = {
  trashDays: wholeNumber(0, 365)
    .default(30)
    .meta({ help: 'days that deleted records can be restored; 0: they are deleted for good', mustMatch: true }),
};
