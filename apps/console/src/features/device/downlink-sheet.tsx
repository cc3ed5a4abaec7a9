import type { Downlink } from '@hilltop/contract';
import { Box } from '@mantine/core';
import { useState } from 'react';
import { EnqueueForm } from './enqueue-form.tsx';
import { SentLately } from './sent-lately.tsx';

/** The enqueue form and the last downlinks, which fill it. */
export function DownlinkSheet({ devEUI, onSent }: { devEUI: string; onSent: () => void }) {
  const [again, setAgain] = useState<Downlink>();
  return (
    <>
      <EnqueueForm devEUI={devEUI} bare again={again} onSent={onSent} />
      {/* The buttons of a form in a dialog reach to its edge: what follows begins below them. */}
      <Box mt="md">
        <SentLately devEUI={devEUI} onAgain={(downlink) => setAgain({ ...downlink })} />
      </Box>
    </>
  );
}
