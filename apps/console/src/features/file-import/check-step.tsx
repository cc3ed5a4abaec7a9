import type { FileImport } from '@hilltop/contract';
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { InlineError } from '../../components/states/states.tsx';
import { checkSentences, counted } from './import-words.ts';
import { ProblemRows } from './problem-rows.tsx';
import { useShowImport } from './use-import.ts';

interface Props {
  found: FileImport;
  check: NonNullable<FileImport['check']>;
  /** Back to the columns. */
  onBack: () => void;
}

/** What the import would do, before it does it. */
export function CheckStep({ found, check, onBack }: Props) {
  const { id, kind } = found;
  const show = useShowImport();
  const [failure, setFailure] = useState<unknown>(null);
  const [isStarting, setStarting] = useState(false);
  const ready = check.createCount + check.updateCount;
  const start = async () => {
    setStarting(true);
    setFailure(null);
    await perform(api.fileImport.start({ id })).then(({ jobID }) => show({ ...found, jobID }), setFailure);
    setStarting(false);
  };
  return (
    <Paper component="section" aria-labelledby="import-check">
      <Title order={2} size="h3" id="import-check" mb="xs">
        Check
      </Title>
      <Stack>
        <Text role="status">{checkSentences(kind, check).join(' ')}</Text>
        <Group>
          <Button disabled={ready === 0} loading={isStarting} onClick={() => void start()}>
            Import {counted(ready, kind)}
          </Button>
          <Button variant="default" disabled={isStarting} onClick={onBack}>
            Change columns
          </Button>
          <Button variant="default" disabled={isStarting} onClick={() => show(null)}>
            Choose another file
          </Button>
        </Group>
        <InlineError error={failure} />
        {check.problemCount > 0 && <ProblemRows found={found} problemsOnly />}
      </Stack>
    </Paper>
  );
}
