package io.sagaspring.sample;

import java.util.UUID;
import org.springframework.stereotype.Component;

/** The display name of this instance. No earlier instance had the same name, even with the same process id. */
@Component
public final class Node {

    private final String name;

    /** Creates a name for this start of the process. */
    public Node() {
        this.name = ProcessHandle.current().pid() + "-"
                + UUID.randomUUID().toString().substring(0, 8);
    }

    /**
     * Returns the name.
     *
     * @return the process id and a random part
     */
    public String name() {
        return name;
    }
}
