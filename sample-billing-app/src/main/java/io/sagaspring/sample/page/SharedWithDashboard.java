package io.sagaspring.sample.page;

import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Serves the scripts of the dashboard to this page, too, so that the page works if the dashboard is off. */
@Configuration(proxyBeanMethods = false)
class SharedWithDashboard implements WebMvcConfigurer {

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.addResourceHandler("/page/dashboard/*.js")
                .addResourceLocations("classpath:/META-INF/saga-dashboard/assets/");
    }
}
