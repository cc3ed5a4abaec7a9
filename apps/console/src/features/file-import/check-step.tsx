import type { FileImport } from '@hilltop/contract';
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { api } from '../../api/client.ts';
import { InlineError } from '../../components/states/states.tsx';
import { checkSentences, counted } from './import-words.ts';
import { ProblemRows } from './problem-rows.tsx';
import { useCall } from './use-call.ts';
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
  const { run, failure, isRunning } = useCall();
  const ready = check.createCount + check.updateCount;
  const start = () => run(api.fileImport.start({ id }), ({ jobID }) => show({ ...found, jobID }));
  return (
    <Paper component="section" aria-labelledby="import-check">
      <Title order={2} size="h3" id="import-check" mb="xs">
        Check
      </Title>
      <Stack>
        <Text role="status">{checkSentences(kind, check).join(' ')}</Text>
        <Group>
          <Button disabled={ready === 0} loading={isRunning} onClick={() => void start()}>
            Import {counted(ready, kind)}
          </Button>
          <Button variant="default" disabled={isRunning} onClick={onBack}>
            Change columns
          </Button>
          <Button variant="default" disabled={isRunning} onClick={() => show(null)}>
            Choose another file
          </Button>
        </Group>
        <InlineError error={failure} />
        {check.problemCount > 0 && <ProblemRows found={found} problemsOnly />}
      </Stack>
    </Paper>
  );
}
