package io.sagaspring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.workflow.TransitionOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ProblemDetail;

/** Tests that the operations page lists each refusal with the problem that a client receives. */
class ProblemsDocumentTests {

    static List<TransitionOutcome> refusals() {
        return List.of(
                new TransitionOutcome.ClaimFailed("SENDING"),
                new TransitionOutcome.ClaimLost(),
                new TransitionOutcome.Conflict(),
                new TransitionOutcome.NotApplicable("SENT", List.of("lose")),
                new TransitionOutcome.Rejected(List.of("too heavy")),
                new TransitionOutcome.Failed("no courier"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void theOperationsPageHasARowForEveryRefusal(TransitionOutcome refusal) throws Exception {
        ProblemDetail problem = Problems.of(refusal);
        Map<String, Object> members = Objects.requireNonNull(problem.getProperties());
        String further = new TreeSet<>(members.keySet())
                .stream()
                        .filter(name -> !name.equals("outcome"))
                        .map("`%s` "::formatted)
                        .collect(Collectors.joining());

        assertThat(Files.readString(Path.of("../docs/operations.md")))
                .contains("| `%s` | %d | %s|\n".formatted(refusal.name(), problem.getStatus(), further));
    }
}
