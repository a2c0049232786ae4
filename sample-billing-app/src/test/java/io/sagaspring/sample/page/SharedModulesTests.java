package io.sagaspring.sample.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The scripts in {@code page/shared} depend on nothing but each other and one script of the dashboard. */
class SharedModulesTests {

    private static final Pattern IMPORT = Pattern.compile("from '([^']+)'");
    private static final Pattern PATH = Pattern.compile("['\"`]/[a-z]");

    static Stream<Resource> modules() throws IOException {
        return Arrays.stream(
                new PathMatchingResourcePatternResolver().getResources("classpath:static/page/shared/*.js"));
    }

    @Test
    void theSharedFolderContainsModules() throws IOException {
        assertThat(modules()).extracting(Resource::getFilename).contains("api.js", "diagram.js", "dom.js");
    }

    /** This module creates elements for both pages, so it must not need anything else of the dashboard. */
    @Test
    void theModuleOfTheDashboardImportsNothing() throws IOException {
        Resource module = new PathMatchingResourcePatternResolver()
                .getResource("classpath:META-INF/saga-dashboard/assets/dom.js");

        assertThat(module.getContentAsString(StandardCharsets.UTF_8))
                .contains("export function el(")
                .doesNotContain("import ");
    }

    @ParameterizedTest
    @MethodSource("modules")
    void aSharedModuleImportsOnlySharedModules(Resource module) throws IOException {
        List<String> imported = IMPORT.matcher(module.getContentAsString(StandardCharsets.UTF_8))
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(imported).allMatch(path -> path.matches("\\./[a-z]+\\.js|\\.\\./dashboard/dom\\.js"));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void aSharedModuleNamesNoPathOfTheServer(Resource module) throws IOException {
        assertThat(PATH.matcher(module.getContentAsString(StandardCharsets.UTF_8))
                        .results())
                .extracting(MatchResult::group)
                .isEmpty();
    }
}
