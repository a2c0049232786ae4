package io.sagaspring.actuate;

import java.util.List;
import java.util.Map;

/** One part of the health indicator. */
interface HealthPart {

    /**
     * Adds this part's details and problems.
     *
     * @param details the map to which the details are added, by name
     * @param problems the list to which a sentence is added for each problem that needs a person
     */
    void report(Map<String, Object> details, List<String> problems);
}
