import { TriangleAlert } from "lucide-react";
import { Button } from "../../ui/index.ts";
import "./problem.css";

type ProblemProps = { error: { status: number; message: string }; retry?: () => void };

/** What went wrong while something was to be shown, and another try. */
export function Problem({ error, retry }: ProblemProps) {
  return (
    <div className="problem" role="alert" data-testid="problem">
      <TriangleAlert />
      <p>
        <strong>{error.status === 404 ? "This is not there" : "This could not be shown"}</strong>
        <span>{error.message}</span>
      </p>
      {retry && (
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}
