import { Paper, Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** The skeleton of a form. */
export function FormSkeleton({ fields = 4 }: { fields?: number }) {
  return (
    <Paper aria-busy="true">
      <VisuallyHidden>Loading</VisuallyHidden>
      <Stack gap="lg">
        {Array.from({ length: fields }, (_, index) => (
          <div key={`field-${index + 1}`}>
            <Skeleton height={14} width={140} mb={8} />
            <Skeleton height={36} />
          </div>
        ))}
      </Stack>
    </Paper>
  );
}

/** The skeleton of a form with a page header above it. */
export function FormPageSkeleton({ hasFacts = false }: { hasFacts?: boolean }) {
  return (
    <>
      <Stack gap={10} mb="md" aria-hidden>
        <Skeleton height={13} width={120} />
        <Skeleton height={22} width={240} />
        {hasFacts && <Skeleton height={14} width={420} maw="100%" />}
      </Stack>
      <FormSkeleton />
    </>
  );
}
