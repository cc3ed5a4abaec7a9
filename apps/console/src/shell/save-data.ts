/** Somebody who pays by the byte fetches what they open, and no more. */
export const isSaving = () =>
  'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
