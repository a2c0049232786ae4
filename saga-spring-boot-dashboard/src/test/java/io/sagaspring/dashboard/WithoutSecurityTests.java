package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Starts an application in another process, because this one always has Spring Security on its class path. */
class WithoutSecurityTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    @Test
    void theDashboardWorksWithoutAnyClassOfSpringSecurity() throws IOException, InterruptedException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String reduced = Arrays.stream(classPath.split(File.pathSeparator))
                .filter(each -> !each.contains("spring-security") && !each.contains("spring-boot-security"))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                reduced,
                WithoutSecurity.class.getName()));
        command.addAll(DashboardApp.connection(database));

        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("security=false page=200 me=unrestricted refused=403 unknown=404")
                .doesNotContain("NoClassDefFoundError", "ClassNotFoundException");
    }
}
