/** Whether the browser asks to save data: then the console does not prefetch. */
export const isSaving = () =>
  'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
