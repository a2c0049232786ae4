package io.sagaspring.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;

/**
 * A run that this node drives.
 *
 * @param id which run
 * @param token the proof
 */
public record Driven(RunId id, FencingToken token) {

    Held held() {
        return new Held("run", id.toString(), token);
    }

    @Override
    public String toString() {
        return "run %s (token %s)".formatted(id, token);
    }
}
